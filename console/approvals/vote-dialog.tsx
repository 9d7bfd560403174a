/**
 * Confirmation of a vote: the decision, a comment, and a note that the vote is final. Only this button sends the vote,
 * as a POST [console.vote].
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { type Api, ApiError, faultText, isFinalRefusal, mayHaveHappened } from '../api.ts';
import { Risk } from '../design/badge.tsx';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { Notice } from '../design/states.tsx';
import { Block, Code, Text } from '../design/text.tsx';
import { toast } from '../design/toast.tsx';
import type { OwnPasskeys } from '../passkeys/browser.ts';
import { displayName, type Me } from '../session.ts';
import { languageOf } from './call.tsx';
import { effectOf, headingText, type Item, inReadingOrder, names, nextOf, pathOf, risks } from './items.ts';

export type Verdict = 'approve' | 'deny';

interface VoteDialogProps {
  readonly api: Api;
  readonly me: Me;
  /**
   * The item shown when the dialog was opened, and identical ones covered by the same decision. Later changes to the
   * list do not affect the vote.
   */
  readonly items: readonly Item[];
  readonly verdict: Verdict;
  readonly close: () => void;
}

const maxCharacters = 4096;

export function VoteDialog({ api, me, items, verdict, close }: VoteDialogProps) {
  const item = items[0]!;
  const isGroup = items.length > 1;
  const [comment, setComment] = useState('');
  const [outcomes, setOutcomes] = useState<Outcomes>(new Map());
  const open = useRef(true);
  const commentField = useRef<HTMLTextAreaElement>(null);
  // A dialog first focuses a long command, because the keyboard can scroll it.
  useLayoutEffect(() => commentField.current?.focus(), []);
  useEffect(
    () => () => {
      open.current = false;
    },
    [],
  );
  const cast = async (item: Item) => {
    const passkey = verdict === 'approve' ? await signVote(api, item) : undefined;
    const body = { reviewer: displayName(me), ...(comment !== '' && { comment }), ...(passkey && { passkey }) };
    return api.post<'approve'>(`approvals/${encodeURIComponent(item.envelope_id)}/${verdict}`, body);
  };
  /**
   * Casts the votes one by one, and continues if one is refused. Closing the dialog cancels the votes that have not
   * been sent yet.
   */
  const castAll = async () => {
    const said = new Map([...outcomes].filter(([, { isFinal }]) => isFinal));
    for (const each of items) {
      if (said.has(each.envelope_id) || !open.current) continue;
      said.set(
        each.envelope_id,
        await cast(each).then(voteOutcome, (cause) => ({
          counted: false,
          isFinal: isFinalRefusal(cause),
          text: voteErrorText(cause),
        })),
      );
      setOutcomes(new Map(said));
    }
    const counted = [...said.values()].filter((outcome) => outcome.counted).length;
    const missing = items.length - counted;
    if (missing > 0 && open.current) {
      const text = `${missing} of ${items.length} votes did not count.`;
      if ([...said.values()].every(({ isFinal }) => isFinal)) throw new ApiError(409, 'conflict', text);
      throw new Error(`${text} Send again to repeat those that failed.`);
    }
    toast(missing === 0 ? 'good' : 'bad', `${counted} of ${items.length} votes counted.`);
  };
  const castOne = async () => {
    const { status, still_needed } = await cast(item);
    toast('good', status === 'pending' ? `Your vote counts. ${still_needed ?? ''}` : `The request is ${status}.`);
  };
  const executed = inReadingOrder(item).filter(
    ([name, value]) => typeof value === 'string' && names([...(item.executed ?? []), '$.command'], pathOf(name)),
  );
  const next = nextOf(item, Date.now());
  const act = verdict === 'approve' ? 'Approve' : 'Deny';
  return (
    <ConfirmDialog
      title={`${act} ${isGroup ? `${items.length} identical calls` : 'this request'}?`}
      label={isGroup ? `${act} all ${items.length}` : act}
      tone={verdict === 'approve' ? 'good' : 'bad'}
      close={close}
      send={isGroup ? castAll : castOne}
      refusal={isGroup ? faultText : voteErrorText}
    >
      <p class="vote-effect">
        {item.summary && <Risk kind={risks[item.summary.risk][1]} of={risks[item.summary.risk][0]} />}
        <strong>
          <Text of={effectOf(item)} />
        </strong>
      </p>
      <p class="quiet">
        <Code of={item.tool} />
        {item.target !== '' && (
          <>
            {' '}
            on <Text of={headingText(item.target)} />
          </>
        )}
      </p>
      {executed.map(([name, text]) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard
        <section key={name} class="vote-command" aria-label={name} tabIndex={0}>
          <Block of={String(text)} language={languageOf(item.protocol)} />
        </section>
      ))}
      {isGroup && <Group items={items} outcomes={outcomes} />}
      <label for="comment">{verdict === 'deny' ? 'Comment, shown to the agent' : 'Comment'}</label>
      <textarea
        id="comment"
        ref={commentField}
        rows={3}
        maxLength={maxCharacters}
        value={comment}
        onInput={(event) => setComment(event.currentTarget.value)}
      />
      {verdict === 'approve' && item.passkey_required && (
        <Notice kind="info">The rule requires your passkey: the browser asks for it when you approve.</Notice>
      )}
      <p class="quiet">
        {verdict === 'approve' && next && <>{next} </>}A decision cannot be undone. It is recorded in the evidence with
        your name and comment. Ctrl+Enter sends it.
      </p>
    </ConfirmDialog>
  );
}

interface VoteOutcome {
  readonly counted: boolean;
  /** True if sending the vote again cannot change its outcome. */
  readonly isFinal: boolean;
  readonly text: string;
}
type Outcomes = ReadonlyMap<string, VoteOutcome>;

const voteOutcome = ({ status, still_needed }: AnswerOf<'approve'>): VoteOutcome => ({
  counted: true,
  isFinal: true,
  text: status === 'pending' ? `counted. ${still_needed ?? ''}` : status,
});

/** Calls that are voted on together, each with its key and the result of its vote. */
const Group = ({ items, outcomes }: { readonly items: readonly Item[]; readonly outcomes: Outcomes }) => (
  <>
    <ol class="plain-list" aria-label="Identical calls">
      {items.map(({ envelope_id, key }) => {
        const outcome = outcomes.get(envelope_id);
        return (
          <li key={envelope_id}>
            <Text of={key.name ?? key.id} />: <Text of={outcome?.text ?? 'not sent'} />
          </li>
        );
      })}
    </ol>
    <p role="status" class="quiet">
      {outcomes.size > 0 && `${outcomes.size} of ${items.length} sent. `}
      Each call gets its own vote, and each approval is used once.
    </p>
  </>
);

/**
 * Returns the passkey's signature over this request; undefined if the person has no passkey that works on this page and
 * the rule does not require one.
 * @throws Error saying what to do if the rule requires one.
 */
async function signVote(api: Api, item: Item) {
  const { rp, passkeys } = await api.ofFeature<Omit<OwnPasskeys, 'most'>>('passkeys').catch((cause: unknown) => {
    // The vote was not sent, so its outcome is known.
    if (item.passkey_required) throw new Error(faultText(cause));
    return { rp: { id: '', origin: '' }, passkeys: [] };
  });
  const { sign, unfitPage } = await import('../passkeys/browser.ts');
  const unfit = passkeys.length === 0 ? 'Register a passkey first, on the page Passkeys.' : unfitPage(rp);
  if (unfit !== undefined || item.passkey_challenge === undefined) {
    if (item.passkey_required) throw new Error(unfit ?? 'The request is no longer pending.');
    return undefined;
  }
  const ids = passkeys.map(({ credential_id }) => credential_id);
  return sign(item.passkey_challenge, rp.id, ids);
}

function voteErrorText(cause: unknown): string {
  if (mayHaveHappened(cause))
    return `${faultText(cause)} It is not known whether the vote counts. Check the request before you vote again.`;
  if (cause instanceof ApiError && cause.type === 'conflict') return `Not counted: ${cause.message}`;
  const text = faultText(cause);
  return text.startsWith('Not counted: ') ? text : `Refused: ${text}`;
}
