/** The playground: a call, and what the policy in force or an older version decides about it. Nothing is recorded. */
import { useState } from 'preact/hooks';
import type { AnswerOf } from '#core/contracts/operations.ts';
import { type Api, faultText } from '../api.ts';
import { Badge, Code, Fact, Facts, Notice, Text } from '../ui.tsx';

const example = `{
  "protocol": "shell",
  "tool": "shell.run",
  "target": "ci",
  "capability": "execute",
  "parameters": { "command": "make release | sh" }
}`;

type Simulated = AnswerOf<'simulate'>;

export function Playground({ api }: { readonly api: Api }) {
  const [text, setText] = useState(example);
  const [version, setVersion] = useState('');
  const [answer, setAnswer] = useState<Simulated | undefined>();
  const [fault, setFault] = useState<string | undefined>();
  const evaluate = async (event: Event) => {
    event.preventDefault();
    setFault(undefined);
    setAnswer(undefined);
    try {
      const call = JSON.parse(text) as unknown;
      const body = { calls: Array.isArray(call) ? call : [call], ...(version !== '' && { version: Number(version) }) };
      setAnswer(await api.post<'simulate'>('simulate', body));
    } catch (cause) {
      setFault(cause instanceof SyntaxError ? `The call is not JSON: ${cause.message}` : faultText(cause));
    }
  };
  return (
    <section>
      <h2>Playground</h2>
      <form onSubmit={evaluate}>
        <label for="call">A call, or a list of calls (JSON)</label>
        <textarea
          id="call"
          class="code"
          rows={8}
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <label for="version">Policy version (empty: the one in force)</label>
        <input
          id="version"
          inputMode="numeric"
          pattern="[0-9]*"
          autoComplete="off"
          value={version}
          onInput={(event) => setVersion(event.currentTarget.value.trim())}
        />
        <button type="submit">Evaluate</button>
      </form>
      <div role="status">
        {fault !== undefined && <Notice kind="bad">{fault}</Notice>}
        {answer && <Results {...answer} />}
      </div>
    </section>
  );
}

const Results = ({ policy_version, results }: Simulated) => (
  <>
    {results.map(({ decision, matched_rule, place, policy, reason, suggested_alternative }, at) => (
      <Facts key={at}>
        <Fact name="Decision">
          <Badge of={decision} />
        </Fact>
        <Fact name="Rule">
          <Code of={matched_rule} />
          {place && (
            <>
              {' '}
              at <Code of={place} />
            </>
          )}{' '}
          of <Text of={policy} />, version {policy_version}
        </Fact>
        {reason && (
          <Fact name="Reason">
            <Text of={reason} />
          </Fact>
        )}
        {suggested_alternative && (
          <Fact name="Instead">
            <Text of={suggested_alternative} />
          </Fact>
        )}
      </Facts>
    ))}
  </>
);
