/** The policy of the page forbids generated code: zod is set so before the first schema is made, so this is imported first. */
import * as z from 'zod';

z.config({ jitless: true });
