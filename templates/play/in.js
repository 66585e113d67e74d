/* The key stands behind the # of the link, which no browser sends to a server: here it is handed in. */
"use strict";
if (location.hash.length > 1) {
  document.getElementById("key").value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  document.getElementById("in").submit();
}
