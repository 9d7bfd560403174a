/** Earlier decisions on the same tool, for this target and for others. */
import { useCallback } from 'preact/hooks';
import type { Api } from '../api.ts';
import { Badge } from '../design/badge.tsx';
import { Text } from '../design/text.tsx';
import { RelativeTime } from '../design/values.tsx';
import { useLive } from '../live.ts';
import type { Item, View } from './items.ts';

const maxAsked = 100;
const maxShown = 3;

export function Before({ api, item }: { readonly api: Api; readonly item: Item }) {
  const ask = useCallback(
    (signal: AbortSignal) => api.get<'approvalHistory'>(`approvals/history?limit=${maxAsked}`, signal),
    [api],
  );
  const { value } = useLive(ask, 0);
  const alike = value?.approvals.filter((view) => isAlike(view, item)) ?? [];
  if (value === undefined) return null;
  return (
    <section>
      <h3>Decided before</h3>
      {alike.length === 0 ? (
        <p class="quiet">
          {value.approvals.length === 0
            ? 'No earlier decisions.'
            : value.approvals.length === 1
              ? 'The only earlier decision was about another tool or target.'
              : `None of the last ${value.approvals.length} decisions was about this tool and target.`}
        </p>
      ) : (
        <ul class="plain-list">
          {alike.slice(0, maxShown).map((view) => (
            <Decision key={view.envelope_id} view={view} same={view.call_digest === item.call_digest} />
          ))}
          {alike.length > maxShown && <li class="quiet">and {alike.length - maxShown} more</li>}
        </ul>
      )}
    </section>
  );
}

const isAlike = (view: View, { envelope_id, tool, target }: Item): boolean =>
  view.tool === tool && view.target === target && view.envelope_id !== envelope_id;

function Decision({ view, same }: { readonly view: View; readonly same: boolean }) {
  const { denied_at, approved_at, person, reviewer, comment, reason } = view;
  const at = denied_at ?? approved_at;
  return (
    <li>
      {reason === 'timeout' ? (
        <Badge of="timed out" />
      ) : (
        <>
          <Badge of={denied_at ? 'denied' : 'approved'} /> by <Text of={person ?? reviewer ?? 'a reviewer'} />
        </>
      )}{' '}
      {at && <RelativeTime at={at} />} {same ? '(the same call)' : '(other parameters or session)'}
      {comment && (
        <>
          : “<Text of={comment} />”
        </>
      )}
    </li>
  );
}
