/** Starts the console in the page. */
import { render } from 'preact';
import { App } from './app.tsx';
import { applyTheme, chosenTheme } from './design/theme.ts';

applyTheme(chosenTheme());
const place = document.getElementById('app');
if (place) {
  place.replaceChildren(); // content shown without JavaScript
  render(<App />, place);
}
