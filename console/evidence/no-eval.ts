/**
 * Configures zod not to generate code, which the page's content security policy forbids. Import this first, before any
 * schema is created.
 */
import * as z from 'zod';

z.config({ jitless: true });
