/* The script of the report page. */

import { startPage } from "./page.ts";

startPage(document);
