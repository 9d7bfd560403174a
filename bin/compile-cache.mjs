/**
 * Loaded before `bin/local.ts` by `npm start`, and written in JavaScript: with the cache enabled before the first
 * TypeScript file, later starts find every file in it and do not load the compiler, which takes 25 MB.
 */
import { enableCompileCache } from 'node:module';

enableCompileCache();
