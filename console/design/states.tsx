/** States of a page's content: loading, empty, a message, an error. */
import type { ComponentChildren } from 'preact';
import type { LiveAnswer } from '../live.ts';
import { type Tone, toneIcons } from './badge.tsx';
import { Icon, type IconName } from './icon.tsx';

interface NoticeProps {
  readonly kind: Exclude<Tone, 'neutral'>;
  readonly children: ComponentChildren;
}

export const Notice = ({ kind, children }: NoticeProps) => (
  <p class={`notice ${kind}`}>
    <Icon of={toneIcons[kind]} />
    <span>{children}</span>
  </p>
);

interface EmptyStateProps {
  readonly icon: IconName;
  /** Title, such as `No alerts`. */
  readonly title: string;
  /** Purpose of the page, in one or two sentences. */
  readonly children: ComponentChildren;
  /** One example that produces the first row: a command, a piece of configuration, a link. */
  readonly example?: ComponentChildren;
}

export const EmptyState = ({ icon, title, children, example }: EmptyStateProps) => (
  <div class="empty">
    <Icon of={icon} />
    <p class="title">{title}</p>
    <p>{children}</p>
    {example}
  </div>
);

/** Grey lines in place of text that is loading. */
export const Skeleton = ({ lines = 3 }: { readonly lines?: number }) => (
  <div class="skeleton">
    <span class="unseen">Loading…</span>
    {Array.from({ length: lines }, (_, at) => (
      <span key={at} aria-hidden="true" />
    ))}
  </div>
);

interface LoadedProps<T> {
  readonly live: LiveAnswer<T>;
  /** Number of skeleton lines. */
  readonly lines?: number;
  readonly children: (value: T) => ComponentChildren;
}

/** Loading and error states of a page's request; the last response stays visible while the gateway is down. */
export function Loaded<T>({ live: { value, fault }, lines, children }: LoadedProps<T>) {
  return (
    <>
      {fault !== undefined && (
        <Notice kind="bad">
          {fault} {value === undefined ? 'Trying again.' : 'Showing the last response. Trying again.'}
        </Notice>
      )}
      {value === undefined ? fault === undefined && <Skeleton lines={lines ?? 3} /> : children(value)}
    </>
  );
}
