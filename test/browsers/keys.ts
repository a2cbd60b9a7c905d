/** Keys that no letter stands for, in the letters that both protocols have for them. */
const codes = new Map([
  ['Tab', '\uE004'],
  ['Enter', '\uE007'],
  ['Shift', '\uE008'],
]);

export const codeOf = (key: string) => codes.get(key) ?? key;
