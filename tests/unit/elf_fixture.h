/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small ELF file: code at offset 0x1000 that is loaded at 0x401000, a second
 * executable segment at offset 0x3000 loaded at 0x7000, and the symbols below.
 */
#ifndef UNIT_ELF_FIXTURE_H
#define UNIT_ELF_FIXTURE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ELF_FIXTURE_NAMES \
	"\0first\0_second\0second\0third@@V_1\0open\0far\0data\0away\0e\033l"

struct elf_fixture {
	Elf64_Ehdr header;
	Elf64_Phdr segment[3];
	Elf64_Shdr section[3]; /* none, .symtab, .strtab */
	Elf64_Sym symbol[11];
	char names[sizeof(ELF_FIXTURE_NAMES)];
};

/* Where a name begins in the names. */
static inline uint32_t elf_fixture_name(const char *name)
{
	static const char names[] = ELF_FIXTURE_NAMES;
	size_t i;

	for (i = 1; i < sizeof(names); i += strlen(names + i) + 1)
		if (strcmp(names + i, name) == 0)
			return (uint32_t)i;
	return 0;
}

static inline Elf64_Sym elf_fixture_symbol(const char *name, unsigned int info,
					   uint64_t value, uint64_t size)
{
	return (Elf64_Sym){ .st_name = elf_fixture_name(name),
			    .st_info = (unsigned char)info,
			    .st_shndx = 1,
			    .st_value = value,
			    .st_size = size };
}

static inline void elf_fixture_symbols(struct elf_fixture *f)
{
	const unsigned int local = ELF64_ST_INFO(STB_LOCAL, STT_FUNC);
	const unsigned int global = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
	const unsigned int data = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);

	/* Not by address, as in real files. */
	f->symbol[1] = elf_fixture_symbol("far", global, 0x7000, 0x10);
	f->symbol[2] = elf_fixture_symbol("first", local, 0x401000, 0x10);
	f->symbol[3] = elf_fixture_symbol("_second", global, 0x401020, 0x20);
	f->symbol[4] = elf_fixture_symbol("second", global, 0x401020, 0);
	f->symbol[5] = elf_fixture_symbol("third@@V_1", global, 0x401040, 0x10);
	f->symbol[6] = elf_fixture_symbol("open", local, 0x401060, 0);
	f->symbol[7] = elf_fixture_symbol("e\033l", local, 0x401080, 8);
	f->symbol[8] = elf_fixture_symbol("data", data, 0x4010a0, 0x10);
	/* In no segment; of another file. */
	f->symbol[9] = elf_fixture_symbol("away", global, 0x900000, 0x10);
	f->symbol[10] = elf_fixture_symbol("away", global, 0x4010b0, 0x10);
	f->symbol[10].st_shndx = SHN_UNDEF;
}

static inline void elf_fixture_init(struct elf_fixture *f)
{
	memset(f, 0, sizeof(*f));
	memcpy(f->header.e_ident, ELFMAG, SELFMAG);
	f->header.e_ident[EI_CLASS] = ELFCLASS64;
	f->header.e_ident[EI_DATA] = ELFDATA2LSB;
	f->header.e_ident[EI_VERSION] = EV_CURRENT;
	f->header.e_type = ET_EXEC;
	f->header.e_machine = EM_X86_64;
	f->header.e_version = EV_CURRENT;
	f->header.e_ehsize = sizeof(f->header);
	f->header.e_phoff = offsetof(struct elf_fixture, segment);
	f->header.e_phentsize = sizeof(f->segment[0]);
	f->header.e_phnum = 3;
	f->header.e_shoff = offsetof(struct elf_fixture, section);
	f->header.e_shentsize = sizeof(f->section[0]);
	f->header.e_shnum = 3;
	f->segment[0] = (Elf64_Phdr){ .p_type = PT_LOAD,
				      .p_flags = PF_R,
				      .p_vaddr = 0x400000,
				      .p_filesz = 0x1000 };
	f->segment[1] = (Elf64_Phdr){ .p_type = PT_LOAD,
				      .p_flags = PF_R | PF_X,
				      .p_offset = 0x1000,
				      .p_vaddr = 0x401000,
				      .p_filesz = 0x100 };
	f->segment[2] = (Elf64_Phdr){ .p_type = PT_LOAD,
				      .p_flags = PF_R | PF_X,
				      .p_offset = 0x3000,
				      .p_vaddr = 0x7000,
				      .p_filesz = 0x100 };
	f->section[1] = (Elf64_Shdr){ .sh_type = SHT_SYMTAB,
				      .sh_offset = offsetof(struct elf_fixture, symbol),
				      .sh_size = sizeof(f->symbol),
				      .sh_link = 2,
				      .sh_entsize = sizeof(f->symbol[0]) };
	f->section[2] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
				      .sh_offset = offsetof(struct elf_fixture, names),
				      .sh_size = sizeof(f->names) };
	elf_fixture_symbols(f);
	memcpy(f->names, ELF_FIXTURE_NAMES, sizeof(f->names));
}

#endif
