/** The caller of a request, and the reason for its review. */

import { shorten, visibleText } from '#core/text/secrets/visible-text.ts';
import { Fact, Facts } from '../design/layout.tsx';
import { Code, Text } from '../design/text.tsx';
import { RelativeTime } from '../design/values.tsx';
import { hashOf } from '../route.ts';
import type { Item } from './items.ts';

/** Maximum length of text from the caller, so that it cannot push the call itself out of view. */
const claimCharacters = 60;

interface ClaimProps {
  readonly of: string;
  readonly isQuote?: boolean;
}

/** Text from the caller. If it is long, its beginning opens the rest. */
function Claim({ of, isQuote = false }: ClaimProps) {
  const text = visibleText(of);
  // A few more characters take less room than a note about them.
  const short = text.length <= claimCharacters * 1.5 ? text : shorten(text, claimCharacters);
  const line = (
    <>
      {isQuote ? (
        <q>
          <Text of={short} />
        </q>
      ) : (
        <>
          Label: <Text of={short} />
        </>
      )}{' '}
      <span class="quiet">(claimed by the caller, not verified)</span>
    </>
  );
  if (short === text) return <p>{line}</p>;
  return (
    <details>
      <summary>{line}</summary>
      <Text of={text} />
    </details>
  );
}

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
      {actor.agent !== '' && <Claim of={actor.agent} />}
      {justification !== '' && <Claim of={justification} isQuote />}
    </div>
  );
}

/** The rule's reason; if it has none, its name. */
export const Reason = ({ item: { rule } }: { readonly item: Item }) => (
  <p class="reason">
    {rule.reason ? (
      <Text of={rule.reason} />
    ) : (
      <>
        The rule <Code of={rule.name} /> requires a review.
      </>
    )}
  </p>
);

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
