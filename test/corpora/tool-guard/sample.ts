/** Corpus rows, built from templates with a fixed seed. */
import { mulberry32 } from '../../support/mulberry32.ts';

export type Sample =
  | { readonly place: 'result'; readonly text: string }
  | { readonly place: 'definition'; readonly definition: Record<string, unknown> }
  | {
      readonly place: 'beside';
      readonly definition: Record<string, unknown>;
      /** Names of additional tools of the same server. */
      readonly own: readonly string[];
    }
  | { readonly place: 'argument'; readonly parameters: Record<string, unknown> };

export type Row = Sample & {
  readonly kind: string;
  /** Whether no rule was developed on its template. */
  readonly heldOut: boolean;
};

const slots: Readonly<Record<string, readonly string[]>> = {
  host: ['collect.example', 'metrics-sync.example', 'cdn.attacker.example', 'files.partner.example'],
  person: ['Ada', 'Jonas', 'Mei', 'Fatima', 'Lars', 'Priya'],
  file: ['report.txt', 'notes.md', 'invoice-2291.pdf', 'src/main.ts', 'data/users.csv'],
  project: ['orchard', 'lighthouse', 'quartz', 'meadow', 'harbor'],
  number: ['17', '203', '4096', '12', '88'],
  tool: ['send_email', 'delete_repository', 'transfer_funds', 'create_webhook', 'update_permissions'],
  city: ['Oslo', 'Porto', 'Kyoto', 'Quito', 'Turin'],
  word: ['billing', 'search', 'upload', 'calendar', 'checkout'],
};

/** Fills `{host}` and the other slots of a template. */
const filled = (template: string, next: () => number): string =>
  template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const values = slots[name];
    return values ? values[Math.floor(next() * values.length)]! : whole;
  });

/** Builds rows from templates. The last third of the templates is held out. */
export function rowsOf(
  kind: string,
  templates: readonly string[],
  each: number,
  seed: number,
  sample: (text: string, next: () => number) => Sample,
): Row[] {
  const next = mulberry32(seed);
  const kept = Math.ceil((templates.length * 2) / 3);
  return templates.flatMap((template, at) =>
    Array.from({ length: each }, (): Row => ({ ...sample(filled(template, next), next), kind, heldOut: at >= kept })),
  );
}
