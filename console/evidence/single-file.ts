/** Writes a session as one HTML file, in the browser. Loaded when it is first asked for. */
import './no-eval.ts';

export { singleFile } from '#core/evidence/single-file.ts';
