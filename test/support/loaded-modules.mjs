/**
 * Loaded with `--import`: when a program ends, it writes all modules that the program loaded, including Node's, to
 * stderr as one JSON list.
 */
import { registerHooks } from 'node:module';

const urls = [];
registerHooks({
  load(url, context, next) {
    urls.push(url);
    return next(url, context);
  },
});
process.on('exit', () => {
  process.stderr.write(JSON.stringify([...urls, ...process.moduleLoadList]));
});
