/** Words with a tone. The word is always shown, so that colour alone never carries the meaning. */
import { Icon, type IconName } from './icon.tsx';
import { Text } from './text.tsx';

export type Tone = 'neutral' | 'info' | 'good' | 'bad' | 'warn';

export const toneIcons: Readonly<Record<Exclude<Tone, 'neutral'>, IconName>> = {
  info: 'info',
  good: 'good',
  bad: 'bad',
  warn: 'warn',
};

interface BadgeProps {
  readonly of: string;
  /** @default the tone of a known word (`allow`, `failed`, `pending`), otherwise neutral */
  readonly tone?: Tone | undefined;
}

export function Badge({ of, tone = toneOf(of) }: BadgeProps) {
  return (
    <span class={`badge ${tone}`}>
      {tone !== 'neutral' && <Icon of={toneIcons[tone]} />}
      <Text of={of} />
    </span>
  );
}

/** Risk of a capability, for reviewers. */
export type RiskKind = 'read' | 'write' | 'delete' | 'send' | 'execute' | 'unknown';

const riskIcons: Readonly<Record<RiskKind, IconName>> = {
  read: 'eye',
  write: 'pencil',
  delete: 'trash',
  send: 'send',
  execute: 'terminal',
  unknown: 'unknown',
};

/** Badge with the capability of a call; `of` may be any word that the caller sent. */
export const Risk = ({ kind, of = kind }: { readonly kind: RiskKind; readonly of?: string }) => (
  <span class={`badge risk ${kind}`}>
    <Icon of={riskIcons[kind]} />
    <Text of={of} />
  </span>
);

/** A number at the end of a link or tab. Screen readers read `says` instead. */
export const Count = ({ of, says }: { readonly of: number | string; readonly says: string }) => (
  <span class="count">
    <span aria-hidden="true">{of}</span>
    <span class="unseen">{says}</span>
  </span>
);

const words: Readonly<Record<Exclude<Tone, 'neutral' | 'info'>, string>> = {
  good: 'allow approve approved consumed executed healthy resolved ok valid success accepted up completed verified running',
  bad: 'block blocked deny denied failed critical unhealthy invalid down unavailable dead error',
  warn: 'review pending warning degraded active alert changed new retrying paused stale',
};
const tones: ReadonlyMap<string, Tone> = new Map([
  ['timed out', 'bad'],
  ...Object.entries(words).flatMap(([tone, list]) => list.split(' ').map((word) => [word, tone as Tone] as const)),
]);

const toneOf = (word: string): Tone => tones.get(word) ?? 'neutral';
