/**
 * Unrolls loops over plain names and patterns: the body is repeated with each value in place of `"$name"`
 * [effects.profiles].
 */
import { isOfKind } from '#core/catalog/program-kind.ts';
import { readingFiles } from '#core/catalog/program-lines.ts';
import { type Command, type Piece, type Script, UnreadableSyntax, type Word } from './syntax.ts';
import { type Arg, expandWord } from './words.ts';

type Compound = Extract<Command, { kind: 'compound' }>;

const maxValues = 16;
const plainValue = /^[A-Za-z0-9_][\w./-]*$/;
const plainPattern = /^[A-Za-z0-9_][\w./*?-]*$/;

/** Commands that change variables or the meaning of words. */
const setsVariables = new Set(
  'read unset export readonly declare typeset local eval source . set let mapfile readarray getopts alias'.split(' '),
);

/** Returns one copy of the bodies for each value, or undefined if a value or a body does not have a plain form. */
export function roundsOf({ scope, sets: name, words, bodies }: Compound): readonly (readonly Script[])[] | undefined {
  if (scope !== 'loop' || name === undefined || words.length === 0) return undefined;
  const values = loopValues(words);
  if (values === undefined || !bodies.every((body) => keepsVariable(body, name))) return undefined;
  return values.map((value) => bodies.map((body) => bindScript(body, name, value)));
}

function loopValues(words: readonly Word[]): readonly Arg[] | undefined {
  try {
    const values = words.flatMap(expandWord);
    const isPlain = ({ known, glob, text }: Arg) =>
      known && (glob ? plainPattern : plainValue).test(text) && !text.includes('..');
    return values.length <= maxValues && values.every(isPlain) ? values : undefined;
  } catch (thrown) {
    if (thrown instanceof UnreadableSyntax) return undefined;
    throw thrown;
  }
}

const commandsOf = (script: Script): Command[] =>
  script.flatMap(({ first, rest }) => [...first, ...rest.flatMap(({ pipeline }) => pipeline)]);

/** Checks that the body never changes the loop variable. */
const keepsVariable = (script: Script, name: string): boolean =>
  commandsOf(script).every((command) => {
    if (command.kind === 'function') return false;
    if (command.kind === 'compound')
      return command.sets !== name && command.bodies.every((body) => keepsVariable(body, name));
    const program = literalText(command.words[0]);
    return (
      command.assignments.every((each) => each.name !== name) && program !== undefined && !setsVariables.has(program)
    );
  });

const literalText = (word: Word | undefined): string | undefined => {
  const [piece, ...others] = word?.pieces ?? [];
  return piece?.kind === 'text' && others.length === 0 ? piece.text : undefined;
};

const bindScript = (script: Script, name: string, value: Arg): Script =>
  script.map(({ first, rest, background }) => ({
    first: first.map((command) => bindCommand(command, name, value)),
    rest: rest.map(({ operator, pipeline }) => ({
      operator,
      pipeline: pipeline.map((command) => bindCommand(command, name, value)),
    })),
    background,
  }));

function bindCommand(command: Command, name: string, value: Arg): Command {
  if (command.kind === 'function') return command;
  if (command.kind === 'compound')
    return { ...command, bodies: command.bodies.map((body) => bindScript(body, name, value)) };
  if (value.glob && !isOfKind(literalText(command.words[0]) ?? '', readingFiles)) return command;
  return {
    ...command,
    words: command.words.map((word) => bindWord(word, name, value)),
    // A pattern would name several files in a redirection that writes only one.
    ...(!value.glob && {
      redirects: command.redirects.map((each) => ({ ...each, target: bindWord(each.target, name, value) })),
    }),
  };
}

/** Binds a pattern only if it is the whole word; it then represents any one of the files that it matches. */
function bindWord(word: Word, name: string, { text, glob }: Arg): Word {
  // A quoted string begins with an empty piece of text.
  const isSome = (piece: Piece): boolean => piece.kind === 'unknown' || piece.text !== '';
  if (glob && word.pieces.filter(isSome).length > 1) return word;
  const bind = (piece: Piece): Piece =>
    piece.kind === 'unknown' && piece.quoted && (piece.source === `$${name}` || piece.source === `\${${name}}`)
      ? { kind: 'text', text, quoted: !glob }
      : piece;
  return { ...word, pieces: word.pieces.map(bind) };
}
