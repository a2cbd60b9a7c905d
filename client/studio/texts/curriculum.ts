/** Modules and lessons of a course. */
export const curriculum = {
  curriculum: {
    title: 'Curriculum',
    course: 'Course',
    of: (course: string) => `Curriculum of “${course}”`,
    lead: 'Drag modules and lessons into their order, or move them with the keyboard: space, arrows, space.',
    none: 'No modules yet',
    noneLead: 'A module is a part of the course, with lessons in it.',
    addModule: 'Add module',
    addLesson: 'Add lesson',
    move: (title: string) => `Move “${title}”`,
    editModule: 'Edit module',
    editLesson: 'Edit lesson',
    typedGoes: 'What you typed here and did not save is lost.',
    deleteModuleLead: (lessons: number, days: number) =>
      `Its ${lessons === 1 ? 'lesson goes' : `${lessons} lessons go`} with it. The trash keeps them for ${days} days.`,
  },
} as const;
