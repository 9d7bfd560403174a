/** Light or dark: the system setting, unless the person chose a theme in this browser. */

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const place = 'gateway-console-theme';

/** Reads the stored theme. A browser may block storage. */
function storedTheme(): string | null {
  try {
    return localStorage.getItem(place);
  } catch {
    return null;
  }
}

export const chosenTheme = (): Theme => themes.find((theme) => theme === storedTheme()) ?? 'system';

export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset.theme;
  else dataset.theme = theme;
}

export function chooseTheme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(place);
    else localStorage.setItem(place, theme);
  } catch {
    // The choice lasts until the page is closed.
  }
  applyTheme(theme);
}
