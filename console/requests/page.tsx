/** Chat calls, newest first, with their cost and outcome [console.requests]. */
import { useCallback, useState } from 'preact/hooks';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { hashOf } from '../route.ts';
import { Badge, Code, Heading, Loaded, RelativeTime, Table, Text } from '../ui.tsx';

const everyMs = 10_000;

export function RequestsPage({ api }: PageProps) {
  const [model, setModel] = useState('');
  const ask = useCallback(
    (signal: AbortSignal) =>
      api.get<'listRequests'>(`requests?limit=100${model === '' ? '' : `&model=${encodeURIComponent(model)}`}`, signal),
    [api, model],
  );
  const live = useLive(ask, everyMs);
  return (
    <>
      <Heading>Requests</Heading>
      <label for="model">Model</label>
      <input
        id="model"
        type="search"
        autoComplete="off"
        spellcheck={false}
        placeholder="all models"
        onChange={(event) => setModel(event.currentTarget.value.trim())}
      />
      <Loaded live={live}>
        {({ requests, cursor }) =>
          requests.length === 0 ? (
            <p>No chat call {model === '' ? 'was made yet' : 'of this model is recorded'}.</p>
          ) : (
            <>
              <Table
                caption="Chat calls, newest first"
                heads={['When', 'Model', 'Decision', 'Outcome', 'Tokens', 'Cost', 'Latency', 'Session']}
              >
                {requests.map((request) => (
                  <tr key={request.envelope_id}>
                    <td>
                      <RelativeTime at={request.at} />
                    </td>
                    <td>
                      <Code of={request.model} />
                    </td>
                    <td>
                      <Badge of={request.decision} />
                    </td>
                    <td>
                      {request.status} <Text of={request.outcome} />
                      {request.demo && ', demo answer'}
                      {request.matched_rule && (
                        <>
                          , <Code of={request.matched_rule} />
                        </>
                      )}
                    </td>
                    <td>
                      {request.tokens.input} in, {request.tokens.output} out
                    </td>
                    <td>{request.cost_usd.toFixed(6)} USD</td>
                    <td>{Math.round(request.latency_ms)} ms</td>
                    <td>
                      <a href={hashOf('sessions', request.session_id)}>
                        <Code of={request.session_id} />
                      </a>
                    </td>
                  </tr>
                ))}
              </Table>
              {cursor !== undefined && <p class="quiet">There are more; narrow the list by model.</p>}
            </>
          )
        }
      </Loaded>
    </>
  );
}
