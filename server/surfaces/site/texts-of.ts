/** The parameters of a query, or the fields of a form, that came once. */
export const textsOf = (values: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries<unknown>(Object(values)).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
