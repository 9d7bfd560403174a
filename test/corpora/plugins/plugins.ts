/** The plugins with published figures, their rows, and the minimum scores on both parts of their corpus. */
import { fenceRows } from './fence.ts';
import { injectionRows } from './injections.ts';
import type { Row } from './measure.ts';
import { secretRows } from './secrets.ts';

export interface MeasuredPlugin {
  readonly name: string;
  readonly rows: () => Row[];
  readonly least: { readonly recall: number; readonly precision: number };
}

export const plugins: readonly MeasuredPlugin[] = [
  { name: 'secrets-guard', rows: secretRows, least: { recall: 0.99, precision: 0.99 } },
  { name: 'injection-guard', rows: injectionRows, least: { recall: 0.99, precision: 1 } },
  { name: 'topic-fence', rows: fenceRows, least: { recall: 0.9, precision: 0.95 } },
];
