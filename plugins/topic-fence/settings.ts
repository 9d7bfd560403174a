/**
 * Scripts, languages and topics that this build of the fence allows. A filter has no separate settings: change this
 * file, then build and sign the module, so that the digest covers the settings as well. Lists consist of words between
 * single spaces, in lower case and ASCII.
 */

/** Allowed scripts, out of: latin greek cyrillic hebrew arabic indic thai han kana hangul other. */
export const allowedScripts = ' latin ';

/** Allowed languages, out of those in `languages.ts`. */
export const allowedLanguages = ' english german french spanish ';

/** Number of letters in other scripts that a text may contain, for example in a quoted name or address. */
export const foreignLetters = 12;

/**
 * Refused topics. A word that ends in `*` matches every word with that prefix. A topic is found if three different
 * words of it occur within 60 words, or two if one of them is in the list of words that belong to no other topic.
 */
export const topics: StaticArray<string> = ['gambling', 'weapons', 'drugs', 'investment advice'];
export const topicWords: StaticArray<string> = [
  ' bet bets betting casino* odds roulette blackjack poker jackpot* wager* slots slot bookmaker* parlay stake* payout* gamble* gambling bookie* spins wette* einsatz quoten casinos apuesta* pari* croupier bankroll* handicap* ',
  ' gun guns rifle* pistol* ammunition ammo firearm* silencer* suppressor* caliber calibre handgun* shotgun* explosive* detonator* grenade* trigger receiver serial munition waffe* gewehr* arma armes fusil* unregistered untraceable ',
  ' cocaine heroin mdma meth methamphetamine lsd ecstasy ketamine fentanyl dealer* dosage snort* smoke weed cannabis grams dose* high pills drogue* droga* drogen kokain* cook* synthes* darknet opioid* ',
  ' invest* stock* shares portfolio* crypto* bitcoin dividend* broker* buy sell hedge leverage* options etf* bond* savings returns forecast* aktie* acciones bourse actions rendite* ',
];
/** Words that need only one other word of the topic to identify it. */
export const topicOwnWords: StaticArray<string> = [
  ' casino* roulette blackjack poker bookmaker* wager* jackpot* bookie* parlay gambling ',
  ' rifle* pistol* ammunition ammo firearm* handgun* shotgun* grenade* detonator* silencer* ',
  ' cocaine heroin mdma methamphetamine fentanyl lsd ketamine kokain* ',
  ' bitcoin etf* dividend* aktie* rendite* ',
];
