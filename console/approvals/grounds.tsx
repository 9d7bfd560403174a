/** Who asks for a request, and which rule made it wait. */
import { hashOf } from '../route.ts';
import { Code, Fact, Facts, RelativeTime, Text } from '../ui.tsx';
import type { Item } from './items.ts';

export function WhoAsks({ item }: { readonly item: Item }) {
  const { key, actor, session_id, risk, justification } = item;
  return (
    <Facts>
      <Fact name="Key">
        {key.name ? <Text of={key.name} /> : <Code of={key.id} />} ({key.kind ?? 'unknown'} key)
      </Fact>
      <Fact name="Owner">{key.owner ? <Text of={key.owner} /> : 'none'}</Fact>
      <Fact name="Session">
        <a href={hashOf('sessions', session_id)}>
          <Code of={session_id} />
        </a>
      </Fact>
      {risk && (
        <Fact name="Risk">
          session {risk.session}, key {risk.key}; calls are refused from {risk.kill_switch}
        </Fact>
      )}
      {actor.agent !== '' && (
        <Fact name="Label">
          <Text of={actor.agent} /> <span class="quiet">(the caller's word, not verified)</span>
        </Fact>
      )}
      {justification !== '' && (
        <Fact name="Reason given">
          <q>
            <Text of={justification} />
          </q>{' '}
          <span class="quiet">(the caller's word, not verified)</span>
        </Fact>
      )}
    </Facts>
  );
}

export function Rule({ item }: { readonly item: Item }) {
  const { rule, still_needed, votes } = item;
  return (
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
      {rule.reason && (
        <Fact name="Reason">
          <Text of={rule.reason} />
        </Fact>
      )}
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
  );
}
