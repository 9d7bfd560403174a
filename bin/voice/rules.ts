/** The rules of `npm run voice` as data; docs/contributing/voice.md explains them. */

export interface VoiceRule {
  readonly name: string;
  readonly pattern: RegExp;
  readonly instead: string;
}

const rule = (name: string, pattern: RegExp, instead: string): VoiceRule => ({ name, pattern, instead });

/** Words to avoid in this repository's prose, each with a replacement. */
export const voiceRules: readonly VoiceRule[] = [
  rule(
    'is-no',
    /\b(?<!there )(?:is|was|are|were) no (?!longer\b|more\b|other\b|such\b|one\b|later\b)/i,
    '"is not a …": a tool is not a valid name, two calls are not identical',
  ),
  rule('whoever', /\bwho(?:so)?ever\b/i, 'the role: the caller, the reviewer, the process that holds the lease'),
  rule(
    'nobody',
    /\b(?:no|some|any|every)body\b|\b(?:some|any|every)one(?!-)\b|\bno one\b/i,
    'the role: no reviewer, another request, any caller, all waiters',
  ),
  rule('anew', /\banew\b/i, '"again", or "a new …"'),
  rule(
    'told',
    /(?<!-)\btold\b(?!-)|\btells? (?:nobody|of|apart|\w+ apart)\b/i,
    'the verb of the field: reported, returned, notified, recorded, distinguished',
  ),
  rule('of-ours', /\bof ours\b/i, '"of the gateway", "this gateway\'s"'),
  rule('belongs-into', /\bbelongs? into\b/i, '"belongs in"'),
  rule('held-against', /\bheld against\b/i, '"counted against", "compared with"'),
  rule('so-many', /\bat most so many\b/i, '"maximum number of …"'),
  rule('very', /\b(?:this|that|the) very (?!same)/i, '"the same", "exactly this"'),
  rule('the-mind', /\bthe (?:mind|hands)\b/i, 'decision logic, adapters'),
  rule('doors', /\bdoors?\b/i, 'handler, endpoint, entry point'),
  rule('rooms', /\brooms\b/i, 'folders'),
  rule('burn', /\bburn(?:s|t|ed)?\b/i, 'redeem'),
  rule('shelf', /\bshel(?:f|ves)\b/i, 'cache'),
  rule('section', /\b(?:spec|contract) §/i, 'the requirement id: `[approval.used-once]`'),
  rule('later-issue', /\ba later issue\b/i, '"not built yet"'),
  rule('all-the-same', /\ball the same\b/i, '"still", "in any case", "nevertheless"'),
  rule('so-many-words', /\bin so many words\b|\bwithout more ado\b/i, 'what is meant: "names X", "at any time"'),
  rule('by-then', /\bby then\b/i, 'the moment: "before that", "after the commit", "when it ends"'),
  rule('ink', /\b(?:without|no) ink\b/i, '"invisible"'),
  rule('surroundings', /\bsurroundings\b/i, '"environment"'),
  rule('for-ever', /\bfor ever\b/i, '"forever", "without end"'),
];

/** Wording that is sometimes right but often hard to understand. The number in a file may only decrease. */
export const habits: readonly VoiceRule[] = [
  rule(
    'what',
    /(?<=^|[.:;,] |\* |\/ |['"`])[Ww]hat (?!to\b|is\b.*\?)/gm,
    'the noun: the reservation, the pending call',
  ),
  rule('of-what', /\b(?:of|than|from|by|with|for|to) what\b/g, 'the noun'),
  rule('where', /\bwhere (?:it|there|they|none|no|nothing|one|this) \w+/gi, '"if", "when"'),
  rule('stands', /\bst(?:ands?|ood) (?:in|beside|behind|for|there|before)\b/gi, '"is in", "means", "precedes"'),
  rule('beside', /\bbeside\b/gi, '"in addition to", "together with", "next to"'),
  rule('as-it-is', /\bas (?:it|they) (?:is|are|was|were|stands?|stood)\b/gi, '"unchanged", "current"'),
  rule('per', /\d \w+ an? (?:second|minute|hour|day|month)\b/gi, '"per second"'),
  rule('graver', /\bgraver?\b|\bgravest\b|\bbecomes? of\b|\bbut for\b/gi, '"more severe", "happens to", "except"'),
  rule('goes-on', /\bgo(?:es)? on\b/gi, '"continues"'),
];

/**
 * Rules for the beginning of doc comments: `head` matches the line after the comment, `pattern` an opening that is
 * refused.
 */
export const docRules: readonly (VoiceRule & { readonly head: RegExp })[] = [
  {
    ...rule(
      'function-doc',
      /^(?!(?:[A-Z][a-z-]+s\b(?! of\b)|Called\b|[@`]))/,
      'a verb in the third person first: Returns, Parses, Checks, Writes',
    ),
    // PascalCase does not match: a console component is documented with a noun.
    head: /^(?:(?:export|async|static|private|protected|public|override|readonly) )*(?:(?:function\*? |(?!constructor)\*?#?)[a-z]\w*\??(?:<.*>)?\(|const [a-z]\w*(?:: .*)? = (?:async )?(?:<.*>)?(?:\((?!\d)|\w+ =>))/,
  },
  {
    ...rule('type-doc', /^(?:What|Where|When|How|Which|Who|Whether|As)\b/, 'a noun first: Facts of a call'),
    head: /^(?:(?:export|declare|abstract) )*(?:interface|type|class) /,
  },
];
