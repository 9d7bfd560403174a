/**
 * Module that runs in the gateway before its own code, and replaces its telemetry with a version that can be turned
 * off.
 */
import { registerHooks } from 'node:module';

const replaced = new URL('../adapters/telemetry/telemetry.ts', import.meta.url).href;
const switched = new URL('./switched-telemetry.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return found.url === replaced && context.parentURL !== switched ? { ...found, url: switched } : found;
  },
});
