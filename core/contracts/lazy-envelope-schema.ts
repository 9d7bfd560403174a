/** Action schemas, loaded while a function waits for its configuration. */
import { importedSoon } from '#core/kernel/lazy-import.ts';

export type EnvelopeSchemas = typeof import('./envelope-schema.ts');

export const envelopeSchemas = importedSoon((): Promise<EnvelopeSchemas> => import('./envelope-schema.ts'));
