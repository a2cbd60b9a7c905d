const mostCharacters = 400;

/** Names with commas between them; those beyond `mostCharacters` are counted instead, so that no name is cut. */
export function listed(names: readonly string[]): string {
  let length = 0;
  const shown = names.filter((name) => {
    length += name.length + 2;
    return length <= mostCharacters;
  });
  const rest = names.length - shown.length;
  if (rest === 0) return shown.join(', ');
  return shown.length === 0 ? `${rest} names` : `${shown.join(', ')} and ${rest} more`;
}
