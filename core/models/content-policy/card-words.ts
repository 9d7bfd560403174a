/** Words near a number that mark it as a payment card, regardless of its range. */
const charactersBefore = 60;
/** Number of characters after a number that are searched for such a word. */
export const wordsAfter = 24;

const names =
  `(?:(?:credit|debit|bank|giro|kredit|prepaid|charge|payment)[~_-]?)?(?:cards?|carte|karten?|kort|kaart|tarjeta|carta|cartão)
  card(?:no|nr|num|number|holder|pan) visa master[~_-]?card maestro amex american~express discover diners jcb union[~_-]?pay rupay
  verve elo pan cc ccn cc[~_-]?(?:no|num|number) карт[аыуе]? карточк[аиу]`
    .split(/\s+/)
    .join('|')
    .replaceAll('~', ' ');
const name = String.raw`(?:(?<![\p{L}\d])(?:${names})(?![\p{L}\d])|カード|卡|카드)`;

const nameBeforeCard = new RegExp(String.raw`${name}[^\n]*$`, 'iu');
/** Words directly before a number that rule out a card, even if a card is mentioned earlier in the line. */
const other =
  /(?<!\p{L})(?:order|invoice|ref(?:erence)?|ticket|case|transaction|trace|request|tracking|account|acct|id|imei|iccid|isbn|ean|gtin|sku|timestamp|phone|tel)(?:[_ ]?(?:no|nr|num|number|id|code))?[^\p{L}\d\n]{0,4}$/iu;
const after = new RegExp(
  String.raw`^[^\p{L}\d\n]{0,3}(?:(?:is|was|on|as|for|from|ist|est|es) )?(?:(?:my|your|the|his|her|our|their|a|an|this|meine|ma|mi) )?(?:new |old )?${name}`,
  'iu',
);

/**
 * Checks whether text earlier in the same line or directly after it identifies the number between `start` and `end` as
 * a payment card.
 */
export function isNamedAsCard(text: string, start: number, end: number): boolean {
  const lead = text.slice(Math.max(0, start - charactersBefore), start);
  if (other.test(lead)) return false;
  return nameBeforeCard.test(lead) || after.test(text.slice(end, end + wordsAfter));
}
