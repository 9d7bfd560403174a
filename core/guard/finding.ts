/**
 * Guard findings in text from MCP servers and calls: kind, place and severity, never the text itself
 * [guard.fails-closed].
 */

export const resultKinds = [
  'instruction',
  'hidden_instruction',
  'encoded_instruction',
  'invisible_text',
  'false_error',
  'data_link',
  'terminal_escape',
  'credential',
  'asks_secret',
  'asks_context',
  'classified',
] as const;
export type ResultKind = (typeof resultKinds)[number];

const definitionKinds = [
  'instruction',
  'invisible_text',
  'lookalike_name',
  'secret_reference',
  'asks_context',
  'asks_secret',
  'contradiction',
  'shadowing',
  'classified',
] as const;
export type DefinitionKind = (typeof definitionKinds)[number];

const changeKinds = ['new_instruction', 'new_reach', 'new_secret', 'looser_annotation'] as const;
export type ChangeKind = (typeof changeKinds)[number];

export const argumentKinds = [
  'command',
  'template',
  'path',
  'url',
  'secret',
  'personal_data',
  'prompt',
  'outside_roots',
] as const;
export type ArgumentKind = (typeof argumentKinds)[number];

/** Severity of a finding. A finding with severity `low` is only recorded, regardless of the configured action. */
export type Severity = 'low' | 'medium' | 'high';

export interface Finding<Kind extends string = string> {
  readonly kind: Kind;
  /** Path of members and indexes, such as `content[0].text`. */
  readonly where: string;
  /** A fixed sentence written by the gateway, without words from the text. */
  readonly description: string;
  readonly severity: Severity;
}

/** A finding in one string. Offsets are in UTF-16 units of the original text. */
export interface TextFinding<Kind extends string = string> {
  readonly kind: Kind;
  readonly description: string;
  readonly severity: Severity;
  readonly start: number;
  readonly end: number;
}
