/**
 * Identifies the content of an entry: an unchanged entry keeps its client and its breaker when the configuration is
 * reloaded.
 */
import type { ProviderEntry } from '#core/contracts/config.ts';
import { remembered } from '#core/kernel/remembered.ts';

export const entryContent = remembered((entry: ProviderEntry): string => JSON.stringify(entry));
