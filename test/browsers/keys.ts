/** Keys without a character, in the code points that both protocols use for them. */
const codes = new Map([
  ['Tab', '\uE004'],
  ['Enter', '\uE007'],
  ['Shift', '\uE008'],
]);

export const codeOf = (key: string) => codes.get(key) ?? key;
