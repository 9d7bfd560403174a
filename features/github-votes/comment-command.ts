/** Parses the command in a pull-request comment: `/approve <id> [<digest>]` or `/deny <id> [why]`. */
import { voteSchema } from '#core/contracts/admin-requests.ts';
import { invalidRequest } from '#core/kernel/errors.ts';

export interface CommentCommand {
  readonly verdict: 'approve' | 'deny';
  readonly envelope_id: string;
  /** Digest that the approver claims to have seen, in lower-case hex. */
  readonly digest?: string;
  /** Reason for the denial. Empty for an approval. */
  readonly comment: string;
}

/** Matches a command line. An id is required, because other services on pull requests also use `/approve`. */
const commandLine =
  /^\/(approve|deny)[ \t]+([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:[ \t](.*))?$/is;

/**
 * Returns the id in a comment's command and a function that parses the rest, or undefined if there is no command. The
 * command must be on the first line, which cannot be inside a quote, a code block or a hidden part of the comment.
 */
export function commandIn(text: string): { readonly envelope_id: string; read(): CommentCommand } | undefined {
  const lines = text.split(/\r\n|\r|\n/);
  const found = lines.map((line) => commandLine.exec(line)).filter((match) => match !== null);
  const [first] = found;
  if (!first) return undefined;
  const [line = '', word = '', id = '', more = ''] = first;
  const rest = more.trim();
  const envelope_id = id.toLowerCase();
  return {
    envelope_id,
    read: () => {
      if (found.length > 1) throw invalidRequest(`Found ${found.length} commands; a comment may contain one.`);
      if (lines[0] !== line) throw invalidRequest('Found the command further down; it must be the first line.');
      return word.toLowerCase() === 'deny' ? denial(envelope_id, rest) : approval(envelope_id, rest);
    },
  };
}

function approval(envelope_id: string, rest: string): CommentCommand {
  if (rest === '') return { verdict: 'approve', envelope_id, comment: '' };
  if (!/^[0-9a-f]{12}$/i.test(rest))
    throw invalidRequest('Found other text after the id; only the 12 hex digits of the digest are allowed there.');
  return { verdict: 'approve', envelope_id, digest: rest.toLowerCase(), comment: '' };
}

function denial(envelope_id: string, comment: string): CommentCommand {
  if (voteSchema.shape.comment.safeParse(comment).success) return { verdict: 'deny', envelope_id, comment };
  throw invalidRequest(`Found ${comment.length} characters after the id; at most 4096 are allowed.`);
}
