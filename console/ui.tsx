/**
 * What every page is made of. Text of agents is hostile: it becomes text nodes only, what is invisible in it is spelled out, and it
 * is isolated so that it cannot change the direction of the text beside it [console.hostile-text].
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { visibleLines, visibleText } from '#core/text/secrets/visible-text.ts';
import { type Language, partsOf } from './approvals/highlight.ts';
import type { Live } from './live.ts';
import { ago } from './words.ts';

/** One line of text of an agent. */
export const Text = ({ of }: { readonly of: string }) => <bdi>{visibleText(of)}</bdi>;

/** The same in the form of code, which is read from left to right whatever letters it holds. */
export const Code = ({ of }: { readonly of: string }) => (
  <code>
    <bdi dir="ltr">{visibleText(of)}</bdi>
  </code>
);

const isDiff = (lines: readonly string[]): boolean =>
  lines.some((line) => line.startsWith('@@ ')) || (lines[0]?.startsWith('diff --git ') ?? false);

const diffClass = (line: string): string => {
  if (line.startsWith('+') && !line.startsWith('+++')) return 'added';
  if (line.startsWith('-') && !line.startsWith('---')) return 'removed';
  return line.startsWith('@@') ? 'place' : '';
};

/** Text over several lines; of a diff, each line says by its sign and its colour what becomes of it, of a command each part what it is. */
export function Block({ of, language }: { readonly of: string; readonly language?: Language | undefined }) {
  const text = visibleLines(of);
  const lines = text.split('\n');
  if (language && !isDiff(lines))
    return (
      <pre>
        <span dir="ltr">
          {partsOf(text, language).map(({ text, kind }, at) => (
            <span key={at} class={kind}>
              {text}
            </span>
          ))}
        </span>
      </pre>
    );
  const classOf = isDiff(lines) ? diffClass : () => '';
  return (
    <pre>
      {lines.map((line, at) => (
        <span key={at} class={classOf(line)} dir="ltr">
          {line}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

export const RelativeTime = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={at}>
    {ago(at)}
  </time>
);

type Kind = 'info' | 'good' | 'bad' | 'warn';
const icons: Readonly<Record<Kind, string>> = { info: 'i', good: '✓', bad: '✕', warn: '!' };

export const Notice = ({ kind, children }: { readonly kind: Kind; readonly children: ComponentChildren }) => (
  <p class={`notice ${kind}`}>
    <span class="sign" aria-hidden="true">
      {icons[kind]}
    </span>
    <span>{children}</span>
  </p>
);

/** A word with its sign, so that colour is never alone. */
export function Badge({ of }: { readonly of: string }) {
  const kind = kinds[of] ?? 'info';
  return (
    <span class={`badge ${kind}`}>
      <span aria-hidden="true">{icons[kind]}</span> {of}
    </span>
  );
}
const kinds: Readonly<Record<string, Kind>> = {
  allow: 'good',
  approved: 'good',
  consumed: 'good',
  executed: 'good',
  healthy: 'good',
  resolved: 'good',
  ok: 'good',
  valid: 'good',
  success: 'good',
  accepted: 'good',
  up: 'good',
  approve: 'good',
  block: 'bad',
  denied: 'bad',
  'timed out': 'bad',
  failed: 'bad',
  critical: 'bad',
  unhealthy: 'bad',
  blocked: 'bad',
  invalid: 'bad',
  deny: 'bad',
  down: 'bad',
  unavailable: 'bad',
  dead: 'bad',
  review: 'warn',
  pending: 'warn',
  warning: 'warn',
  degraded: 'warn',
  active: 'warn',
  alert: 'warn',
  changed: 'warn',
  new: 'warn',
  retrying: 'warn',
};

/** Loading and error of what a page asks for; the last answer stays visible while the gateway is down. */
export function Loaded<T>({
  live,
  children,
}: {
  readonly live: Live<T>;
  readonly children: (value: T) => ComponentChildren;
}) {
  const { value, fault } = live;
  return (
    <>
      {fault !== undefined && (
        <Notice kind="bad">
          {fault} {value === undefined ? 'Trying again.' : 'What you see is the last answer; trying again.'}
        </Notice>
      )}
      {value === undefined ? fault === undefined && <p class="quiet">Loading…</p> : children(value)}
    </>
  );
}

/** The heading of a page takes the focus, so that a screen reader begins there. */
export function Heading({ children }: { readonly children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}

/** Rows of a label and a value. */
export const Facts = ({ children }: { readonly children: ComponentChildren }) => <dl class="facts">{children}</dl>;
export const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** A table that scrolls in its own region if it is too wide, also by keyboard. */
export const Table = ({
  caption,
  heads,
  children,
}: {
  readonly caption: string;
  readonly heads: readonly string[];
  readonly children: ComponentChildren;
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard
  <section class="scrolls" aria-label={caption} tabIndex={0}>
    <table>
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);
