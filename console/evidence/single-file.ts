/** Writes a session as one HTML file, in the browser. Loaded on first use. */
import './no-eval.ts';

export { singleFile } from '#core/evidence/single-file.ts';
