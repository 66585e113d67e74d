/* Short functions for elements of a page. */

/** Return all elements under a root that match a selector. */
export function all<T extends Element = HTMLElement>(root: ParentNode, selector: string): T[] {
  return [...root.querySelectorAll<T>(selector)];
}

/** Return a new element of HTML. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  textContent: string,
  className = "",
): HTMLElementTagNameMap[Tag] {
  return Object.assign(document.createElement(tag), { textContent, className });
}

/** Return a new element of SVG with attributes, for a drawing. */
export function svgElement<Tag extends keyof SVGElementTagNameMap>(
  drawing: SVGElement,
  tag: Tag,
  attributes: Record<string, string | number>,
): SVGElementTagNameMap[Tag] {
  const made = document.createElementNS(drawing.namespaceURI!, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made as SVGElementTagNameMap[Tag];
}
