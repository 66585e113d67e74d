/* What the server wrote into the page: the data attributes of its body, and elements by their ids. */

/** The game page's own data. `nonce` and `stamp` are those of a club. */
export interface PageData {
  game: string;
  side: string;
  /** The address of the side's own requests, with a slash at its end. */
  base: string;
  /** Turn, side and number of the request, as in `2/federation/1`; missing if no orders are owed. */
  request?: string;
  /** Turn and impulse now, as in `2.7`. */
  moment: string;
  shared: string;
  /** `yes` if the server has a first officer; a club has none. */
  officer?: string;
  sending: string;
  silent: string;
  stranger: string;
  again?: string;
  undone?: string;
  nonce?: string;
  stamp?: string;
  /** `yes` on the page of a spectator, who owes no orders. */
  watches?: string;
}

export const pageData = (): PageData => document.body.dataset as unknown as PageData;

/** Return the element with an id; it must be there. */
export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element #${id}`);
  return found as Kind;
}

/** Return the element with an id, or null. */
export const ifThere = <Kind extends HTMLElement = HTMLElement>(id: string): Kind | null =>
  document.getElementById(id) as Kind | null;

type Part = Node | string | null | undefined | false;

/** Make an element. Text is always text: whatever a ship is called, it never becomes markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]> & { data?: Record<string, string> } = {},
  ...parts: Part[]
): HTMLElementTagNameMap[Tag] {
  const { data, ...rest } = properties;
  const made = Object.assign(document.createElement(tag), rest);
  Object.assign(made.dataset, data);
  made.append(...parts.filter((part): part is Node | string => Boolean(part)));
  return made;
}
