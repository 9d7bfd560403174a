/** Pending requests, grouped by session: effect, risk and age come first. */
import { Risk } from '../design/badge.tsx';
import { Code, Text } from '../design/text.tsx';
import { hashOf } from '../route.ts';
import { ageText, duration } from '../words.ts';
import { sessionCounts } from './filters.ts';
import { effectOf, excerptOf, type Item, risks } from './items.ts';

interface PendingRowsProps {
  readonly items: readonly Item[];
  readonly open: string | undefined;
  /** Filters kept in the address: `?risk=deletes`. */
  readonly query: string;
}

export function PendingRows({ items, open, query }: PendingRowsProps) {
  const counts = sessionCounts(items);
  return (
    <ol class="pending">
      {items.map((item, at) => {
        const count = counts.get(item.session_id) ?? 1;
        const isFirst = items[at - 1]?.session_id !== item.session_id;
        return (
          <li key={item.envelope_id} class={count > 1 ? 'together' : undefined}>
            {count > 1 && isFirst && (
              <p class="group">
                {`${count} requests of session `}
                <Text of={item.session_id} />
              </p>
            )}
            <a
              href={hashOf('approvals', item.envelope_id) + query}
              aria-current={item.envelope_id === open ? 'true' : undefined}
            >
              <PendingRow item={item} inGroup={count > 1} />
            </a>
          </li>
        );
      })}
    </ol>
  );
}

const soonSeconds = 120;

function PendingRow({ item, inGroup }: { readonly item: Item; readonly inGroup: boolean }) {
  const { summary, actor, key, session_id, expires_in_seconds: left = 0, queued_at } = item;
  const effect = effectOf(item);
  const excerpt = excerptOf(item);
  const who = actor.agent || key.name || 'a key without a name';
  return (
    <>
      <span class="line">
        {summary && <Risk kind={risks[summary.risk][1]} of={risks[summary.risk][0]} />}
        <span class={left < soonSeconds ? 'left soon' : 'left'}>{`${duration(left)} left`}</span>
      </span>
      <span class="effect">
        <Text of={effect} />
      </span>
      {excerpt !== undefined && !effect.includes(excerpt) && (
        <span class="excerpt">
          <Code of={excerpt} />
        </span>
      )}
      <span class="meta">
        <Text of={inGroup ? who : `${who} · ${session_id}`} />
        <time dateTime={queued_at}>{ageText(queued_at)}</time>
      </span>
    </>
  );
}
