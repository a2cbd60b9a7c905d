/** One text for each form that a language has for numbers, by the names of Intl.PluralRules; `#` stands for the number. */
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** Keeps the type of a table open for the forms of other languages. */
export const plural = (forms: Plural): Plural => forms;
