/**
 * A tool's definition: the additions in the offered version, the tools that it shadows, and the text of both versions
 * [console.tools].
 */
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { visibleLines } from '#core/text/secrets/visible-text.ts';
import { Notice } from '../design/states.tsx';
import { Block, Code, Text } from '../design/text.tsx';
import { changedPart } from './changed-part.ts';

export type ToolView = AnswerOf<'showMcpTool'>;

export function Definition({ of }: { readonly of: ToolView }) {
  const { shadows, not_kept, introduces = [], difference, offered, accepted } = of;
  return (
    <>
      {shadows.length > 0 && (
        <Notice kind="warn">
          Its name hides{' '}
          {shadows.map((each, at) => (
            <span key={each}>
              {at > 0 && ', '}
              <Code of={each} />
            </span>
          ))}
          : a model may call it instead of that tool.
        </Notice>
      )}
      {introduces.length > 0 && (
        <ul class="effects" aria-label="What it introduces">
          {introduces.map(({ kind, where = '', description }) => (
            <li key={`${kind} ${where} ${description}`} class="unsure">
              <span aria-hidden="true">!</span>
              <span>
                <Text of={description} />{' '}
                <span class="quiet">({where === '' ? kind : <Text of={`${kind}, ${where}`} />})</span>
              </span>
            </li>
          ))}
        </ul>
      )}
      {offered && difference && introduces.length === 0 && (
        <p class="quiet">Its additions contain nothing suspicious.</p>
      )}
      {not_kept.map((why) => (
        <p key={why} class="quiet">
          Not shown, {why}.
        </p>
      ))}
      {difference?.map((change) => (
        <Change key={change.path} {...change} />
      ))}
      {!difference && (offered ?? accepted) && <Block of={JSON.stringify(offered ?? accepted, null, 2)} />}
    </>
  );
}

type ChangeProps = NonNullable<ToolView['difference']>[number];

function Change({ path, before, after }: ChangeProps) {
  const [was, is] = [
    before === undefined ? undefined : visibleLines(before),
    after === undefined ? undefined : visibleLines(after),
  ];
  const part = changedPart(was ?? '', is ?? '');
  return (
    <div class="value">
      <p>
        <Code of={path} />
        {before === undefined ? <strong> (new)</strong> : after === undefined && <strong> (gone)</strong>}
      </p>
      <pre>
        {was !== undefined && <Side text={was} sign="-" kind="removed" from={part.start} to={was.length - part.end} />}
        {is !== undefined && <Side text={is} sign="+" kind="added" from={part.start} to={is.length - part.end} />}
      </pre>
    </div>
  );
}

interface SideProps {
  readonly text: string;
  readonly sign: string;
  readonly kind: 'added' | 'removed';
  /** The part that the other side does not have. */
  readonly from: number;
  readonly to: number;
}

/** One side of the comparison. Lines have a sign and a colour, and the changed part is marked. */
const Side = ({ text, sign, kind, from, to }: SideProps) => (
  <span class={kind} dir="ltr">
    <span class="unseen">{kind === 'added' ? 'Now: ' : 'Before: '}</span>
    <span aria-hidden="true">{sign} </span>
    {text.slice(0, from)}
    {to > from && <mark>{text.slice(from, to)}</mark>}
    {text.slice(to)}
    {'\n'}
  </span>
);
