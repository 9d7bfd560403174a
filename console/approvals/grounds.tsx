/** The caller of a request, and the reason for its review. */

import { Fact, Facts } from '../design/layout.tsx';
import { Code, Text } from '../design/text.tsx';
import { RelativeTime } from '../design/values.tsx';
import { hashOf } from '../route.ts';
import type { Item } from './items.ts';

const Unverified = () => <span class="quiet">(claimed by the caller, not verified)</span>;

export function WhoAsks({ item }: { readonly item: Item }) {
  const { key, actor, session_id, risk, justification } = item;
  return (
    <div class="who-asks">
      <p>
        <strong>{key.name ? <Text of={key.name} /> : <Code of={key.id} />}</strong> ({key.kind ?? 'unknown'} key
        {key.owner ? (
          <>
            , owner <Text of={key.owner} />
          </>
        ) : (
          ', no owner'
        )}
        ) in session{' '}
        <a href={hashOf('sessions', session_id)}>
          <Code of={session_id} />
        </a>
        {risk && ' '}
        {risk && (
          <span class={Math.max(risk.session, risk.key) > 0 ? 'scores raised' : 'scores'}>
            Risk {Math.max(risk.session, risk.key)} (calls are blocked at {risk.kill_switch})
          </span>
        )}
      </p>
      {actor.agent !== '' && (
        <p>
          Label: <Text of={actor.agent} /> <Unverified />
        </p>
      )}
      {justification !== '' && (
        <p>
          <q>
            <Text of={justification} />
          </q>{' '}
          <Unverified />
        </p>
      )}
    </div>
  );
}

export function Rule({ item }: { readonly item: Item }) {
  const { rule, still_needed, votes } = item;
  return (
    <>
      {rule.reason && (
        <p class="reason">
          <Text of={rule.reason} />
        </p>
      )}
      <Facts>
        <Fact name="Rule">
          <Code of={rule.name} />
          {rule.place && (
            <>
              {' '}
              at <Code of={rule.place} />
            </>
          )}
        </Fact>
        <Fact name="Policy">
          {rule.policy ? <Text of={rule.policy} /> : 'default'}, version {rule.policy_version}
        </Fact>
        {votes && votes.length > 0 && (
          <Fact name="Votes">
            {votes.map(({ person, comment }) => (
              <span key={person}>
                <Text of={person} /> approved
                {comment && (
                  <>
                    {' '}
                    “<Text of={comment} />”
                  </>
                )}
                .{' '}
              </span>
            ))}
          </Fact>
        )}
        {item.terms_changed && (
          <Fact name="Changed">
            <strong>
              <Text of={item.terms_changed} />
            </strong>
          </Fact>
        )}
        {item.cannot_run && (
          <Fact name="Cannot run">
            <strong>
              <Text of={item.cannot_run} />
            </strong>
          </Fact>
        )}
        {item.caller_gone_at && (
          <Fact name="Caller">
            <strong>
              gone <RelativeTime at={item.caller_gone_at} />; an approved call runs when it is sent again
            </strong>
          </Fact>
        )}
        {item.passkey_required && <Fact name="Passkey">an approval counts only with one</Fact>}
        {still_needed && (
          <Fact name="Still needed">
            <Text of={still_needed} />
          </Fact>
        )}
      </Facts>
    </>
  );
}
