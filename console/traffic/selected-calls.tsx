/** The calls in the selected time range, newest first. */
import { useCallback } from 'preact/hooks';
import { countText } from '#core/kernel/count-text.ts';
import type { Api } from '../api.ts';
import { Loaded } from '../design/states.tsx';
import { Table } from '../design/table.tsx';
import { useKeyNames } from '../key-names.ts';
import { useLive } from '../live.ts';
import { columns } from '../requests/list.tsx';
import { hashOf } from '../route.ts';
import { clockOf, type Selection } from './plots.tsx';
import type { Traffic } from './series.ts';

interface SelectedCallsProps {
  readonly api: Api;
  readonly traffic: Traffic;
  readonly selection: Selection | undefined;
  readonly path: string;
}

const maxCalls = 20;

export function SelectedCalls({ api, traffic: { times, stepMs }, selection, path }: SelectedCallsProps) {
  const [first, last] = selection ?? [0, times.length - 1];
  const from = new Date(times[first]!).toISOString();
  // Steps end just before the next one begins.
  const to = new Date(times[last]! + stepMs - 1).toISOString();
  const span = new URLSearchParams({ from, to, ...(path !== '' && { path }) }).toString();
  const ask = useCallback(
    (signal: AbortSignal) => api.get<'listRequests'>(`requests?limit=${maxCalls}&${span}`, signal),
    [api, span],
  );
  const { nameOf } = useKeyNames(api);
  const clock = clockOf(times);
  return (
    <section>
      <h2>
        Chat calls from {clock(times[first]!)} to {clock(times[last]! + stepMs)}
      </h2>
      <Loaded live={useLive(ask, 0)}>
        {({ requests, cursor }) =>
          requests.length === 0 ? (
            <p class="quiet">No chat call in this period.</p>
          ) : (
            <>
              <p role="status" class="quiet">
                {cursor === undefined ? countText(requests.length, 'call') : `The newest ${requests.length} calls`}.{' '}
                <a href={`${hashOf('requests')}?${span}`}>Open in Requests</a>
              </p>
              <Table
                caption="Chat calls of this period"
                columns={columns(nameOf)}
                rows={requests}
                keyOf={({ envelope_id, at }) => `${envelope_id} ${at}`}
              />
            </>
          )
        }
      </Loaded>
    </section>
  );
}
