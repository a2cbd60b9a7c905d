interface OrderedLesson {
  id: string;
  is_preview: boolean;
  is_done: boolean;
}

/** First lesson that is not done; undefined if all are. It is open, because all lessons before it are done. */
export const nextOpenOf = <Lesson extends OrderedLesson>(lessons: readonly Lesson[]): Lesson | undefined =>
  lessons.find(({ is_done }) => !is_done);

/**
 * Returns true if a lesson has to wait for earlier ones in a course whose lessons are taken in order. Done lessons and previews never
 * wait.
 */
export const isLocked = (lessons: readonly OrderedLesson[], lesson: OrderedLesson): boolean =>
  !lesson.is_done && !lesson.is_preview && nextOpenOf(lessons)?.id !== lesson.id;
