/**
 * Module loaded before `bin/local.ts` by `npm start` and before `bin/agentctl.ts` by `agentctl`. It is written in
 * JavaScript so that the cache is enabled before the first TypeScript file. Later starts then find every file in the
 * cache and do not load the compiler, which takes 25 MB and 0.15 s of CPU time.
 */
import { enableCompileCache } from 'node:module';

enableCompileCache();
