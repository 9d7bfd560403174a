/** Configures zod not to generate code, which the policy of the page forbids. Import this first, before any schema is
 * created. */
import * as z from 'zod';

z.config({ jitless: true });
