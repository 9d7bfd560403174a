/**
 * Loaded before `bin/local.ts` by `npm start`, and JavaScript itself: with the cache on before the first TypeScript file, a
 * later start finds every file in it and does not load the compiler, which takes 25 MB.
 */
import { enableCompileCache } from 'node:module';

enableCompileCache();
