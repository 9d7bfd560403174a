/** Keeps the keyboard focus in its part of the page when the focused element disappears. */

/** Returns the focused element and the elements that contain it, innermost first. */
export function focusPath(): readonly Element[] {
  const path: Element[] = [];
  for (let each = document.activeElement; each; each = each.parentElement) path.push(each);
  return path;
}

/** Focuses the first element of the path that is still in the page and takes the focus. */
export function refocus(path: readonly Element[]): void {
  for (const each of path) {
    if (!(each instanceof HTMLElement) || !each.isConnected) continue;
    each.focus();
    if (document.activeElement === each) return;
  }
}
