/** Started with `--import`, it writes the modules that a program loaded, its own and Node's, to stderr when it ends: one JSON list. */
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
