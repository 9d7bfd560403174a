/** Starts the console in the page. */
import { render } from 'preact';
import { App } from './app.tsx';

const place = document.getElementById('app');
if (place) {
  place.replaceChildren(); // what stands there without JavaScript
  render(<App />, place);
}
