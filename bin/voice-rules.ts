/** Words to avoid in this repository's prose, each with a replacement. The style guide: docs/contributing/voice.md. */

export interface VoiceRule {
  readonly name: string;
  readonly pattern: RegExp;
  readonly instead: string;
}

const rule = (name: string, pattern: RegExp, instead: string): VoiceRule => ({ name, pattern, instead });

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
